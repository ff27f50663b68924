/** The part of a pino logger that this folder uses. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

export const silent: Log = { info() {}, warn() {}, error() {} };
