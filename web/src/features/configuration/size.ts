const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A number of bytes as people read it: "340 B", "1.2 MiB". */
export function formatSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}
