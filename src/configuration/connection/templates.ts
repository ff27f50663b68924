import type { ConnectionField, ConnectionType, ConnectionTypeInfo } from "../../contract/connection.ts";

/** How the text of a field is checked beyond its kind. */
export type Rule = "host" | "email" | "headers" | "bucket" | "region" | "tenant" | "connectionString";

export interface TemplateField extends ConnectionField {
  rule?: Rule;
}

export interface Template extends Omit<ConnectionTypeInfo, "fields" | "testable"> {
  fields: readonly TemplateField[];
}

export const extraPrefix = "x-";

type Given = Partial<TemplateField> & Pick<TemplateField, "label" | "help">;

function field(name: string, given: Given): TemplateField {
  return { name, kind: "text", required: false, sensitive: false, ...given };
}
const needed = (name: string, given: Given) => field(name, { required: true, ...given });
const secret = (name: string, given: Given) => field(name, { sensitive: true, ...given });

const host = needed("host", {
  label: "Host",
  help: "Name or address of the server, without a scheme, path or port.",
  rule: "host",
});
const port = (standard: string, required: boolean) =>
  field("port", {
    label: "Port",
    help: `${standard} unless the server says otherwise.`,
    kind: "number",
    min: 1,
    max: 65_535,
    default: standard,
    required,
  });
const username = (required: boolean) => field("username", { label: "User name", help: "", required });
const password = secret("password", { label: "Password", help: "" });
const database = (required: boolean) =>
  field("database", { label: "Database", help: "Name of the database.", required });
const clientId = needed("clientId", {
  label: "Client ID",
  help: "Of the application that is registered for Pawl.",
});
const clientSecret = secret("clientSecret", {
  label: "Client secret",
  help: "Of the same application.",
  required: true,
});
const privateKey = secret("privateKey", {
  label: "Private key",
  help: "The whole text of the key, with its BEGIN and END lines.",
  kind: "multiline",
});
const passphrase = secret("passphrase", { label: "Passphrase", help: "Of the private key, if it has one." });

function template(
  connectionType: ConnectionType,
  category: string,
  [label, description]: [string, string],
  fields: TemplateField[],
  more: Partial<Pick<Template, "anyOfRequired" | "destination">> = {},
): Template {
  return {
    connectionType,
    label,
    description,
    category,
    fields,
    anyOfRequired: [],
    destination: ["host", "port"],
    extraPrefix,
    ...more,
  };
}

/** What each type of connection is made of: which fields, which of them needed, sealed, and deciding where secrets go. */
export const templates: readonly Template[] = [
  template(
    "email-smtp",
    "communication",
    ["E-mail (SMTP)", "Sends mail through an SMTP server."],
    [
      host,
      port("587", true),
      username(false),
      password,
      field("encryption", {
        label: "Encryption",
        help: "tls from the first byte (port 465), starttls after the greeting (port 587), or none.",
        kind: "enum",
        values: ["starttls", "tls", "none"],
        default: "starttls",
      }),
      needed("fromAddress", { label: "From address", help: "Who mail is sent by.", rule: "email" }),
      field("fromName", { label: "From name", help: "Shown beside the address." }),
    ],
    // Without encryption whoever is on the way can read the password.
    { destination: ["host", "port", "encryption"] },
  ),
  template(
    "database-relational1",
    "database",
    ["Database (MySQL protocol)", "MySQL, MariaDB and what speaks their protocol."],
    [
      host,
      port("3306", true),
      database(true),
      username(true),
      password,
      field("useSSL", {
        label: "Use TLS",
        help: "Encrypts the connection and checks the server's certificate.",
        kind: "boolean",
        default: "true",
      }),
    ],
    { destination: ["host", "port", "useSSL"] },
  ),
  template(
    "database-document",
    "database",
    ["Database (MongoDB)", "By a connection string, or by the name of a database with user and password."],
    [
      secret("connectionString", {
        label: "Connection string",
        help: "mongodb:// or mongodb+srv://; may hold user and password.",
        rule: "connectionString",
      }),
      database(false),
      username(false),
      password,
    ],
    { anyOfRequired: [["connectionString", "database"]], destination: ["connectionString"] },
  ),
  template(
    "database-relational2",
    "database",
    ["Database (PostgreSQL)", "PostgreSQL and what speaks its protocol."],
    [host, port("5432", true), database(true), username(true), password],
    // How it is encrypted: with less of it, others on the way could have the password.
    { destination: ["host", "port", "x-sslmode"] },
  ),
  template(
    "ssh",
    "protocol",
    ["SSH", "Runs commands on another machine."],
    [
      host,
      port("22", false),
      username(true),
      field("authMethod", {
        label: "Sign in with",
        help: "Left out: with whatever is given.",
        kind: "enum",
        values: ["password", "privateKey"],
        default: "privateKey",
      }),
      password,
      privateKey,
      passphrase,
    ],
  ),
  template(
    "sftp",
    "protocol",
    ["SFTP", "Files over SSH."],
    [
      host,
      port("22", false),
      username(true),
      password,
      privateKey,
      passphrase,
      field("remotePath", { label: "Remote folder", help: "Where relative paths begin." }),
    ],
  ),
  template(
    "ftp",
    "protocol",
    ["FTP", "Files over FTP, which is not encrypted: prefer SFTP."],
    [host, port("21", false), username(false), password],
  ),
  template(
    "object-storage",
    "cloud",
    ["Object storage (S3)", "Amazon S3 and what speaks its protocol."],
    [
      needed("accessKeyId", { label: "Access key ID", help: "" }),
      secret("secretAccessKey", { label: "Secret access key", help: "", required: true }),
      needed("region", { label: "Region", help: "Such as eu-central-1.", rule: "region" }),
      needed("bucket", { label: "Bucket", help: "Its name alone.", rule: "bucket" }),
      field("endpoint", {
        label: "Endpoint",
        help: "Of a storage that is not Amazon's, such as https://storage.example.com.",
        kind: "url",
      }),
    ],
    { destination: ["endpoint"] },
  ),
  template(
    "chat-workspace",
    "communication",
    ["Chat workspace (Slack)", "By an incoming webhook, or as a bot."],
    [
      secret("webhookUrl", { label: "Webhook URL", help: "Who has it can post: it is sealed.", kind: "url" }),
      secret("botToken", { label: "Bot token", help: "Begins with xoxb-." }),
      field("defaultChannel", { label: "Default channel", help: "Where messages go that name none." }),
    ],
    { anyOfRequired: [["webhookUrl", "botToken"]], destination: ["webhookUrl"] },
  ),
  template(
    "crm-suite",
    "api",
    ["CRM suite (Salesforce)", "Records over the REST interface."],
    [
      needed("instanceUrl", {
        label: "Instance URL",
        help: "Such as https://example.my.salesforce.com.",
        kind: "url",
      }),
      clientId,
      clientSecret,
      username(false),
      secret("password", {
        label: "Password",
        help: "Followed by the security token, where the user has one.",
      }),
    ],
    { destination: ["instanceUrl"] },
  ),
  template(
    "office-suite-graph",
    "api",
    ["Office suite (Microsoft Graph)", "Mail, files and calendars over Microsoft Graph."],
    [
      needed("tenantId", { label: "Tenant ID", help: "Id or domain of the directory.", rule: "tenant" }),
      clientId,
      clientSecret,
    ],
    { destination: ["tenantId"] },
  ),
  template(
    "rest-api",
    "api",
    ["REST API", "Any interface over HTTP."],
    [
      needed("baseUrl", { label: "Base URL", help: "Paths of steps are below it.", kind: "url" }),
      field("authType", {
        label: "Authentication",
        help: "How the token is sent. bearer: in Authorization. apiKey: in X-API-Key. basic: in Authorization, the token being user:password.",
        kind: "enum",
        values: ["none", "bearer", "basic", "apiKey"],
        default: "bearer",
      }),
      secret("token", { label: "Token", help: "What the authentication above asks for." }),
      secret("headers", {
        label: "Headers",
        help: 'A JSON object of further headers, such as {"X-Tenant": "7"}.',
        kind: "multiline",
        rule: "headers",
      }),
    ],
    { destination: ["baseUrl"] },
  ),
];

const byType = new Map(templates.map((each) => [each.connectionType, each]));

export function templateOf(type: ConnectionType): Template {
  return byType.get(type)!;
}

// The type does not know these variables: what their name says of them is all there is to go by.
const SECRET_NAME = /pass|secret|token|key|auth|credential|cookie|private|signature/i;

/** Whether a variable is sealed. */
export function isSensitive({ fields }: Template, name: string): boolean {
  const known = fields.find((each) => each.name === name);
  return known ? known.sensitive : SECRET_NAME.test(name);
}
