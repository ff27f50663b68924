import { hostNames, integer, oneOf, someOf, text, url } from "./config-kinds.ts";
import { optional, type Setting, withDefault } from "./config-setting.ts";

/** How assistants come in: where the MCP bridge runs, and whom it lets do what. */
export const mcpSettings = {
  services: withDefault(
    "PAWL_SERVICES",
    someOf("platform", "bridge"),
    "platform,bridge",
    "What runs in this process: the platform with its API and engine, the MCP bridge, or both.",
  ),
  platformUrl: optional(
    "PAWL_PLATFORM_URL",
    url(
      ["http:", "https:"],
      "an http or https URL without user or password",
      (u) => !u.username && !u.password,
    ),
    "Bridge alone: where the platform's API answers.",
  ),
  bridgeToken: optional(
    "PAWL_BRIDGE_TOKEN",
    text(/^[\x21-\x7e]+$/, "token", "an API token, without spaces"),
    "Bridge alone: its own API token, of a principal that holds IdentityService:McpSession:create and nothing else.",
    { masked: "all" },
  ),
  mcpBridgeUrl: optional(
    "PAWL_MCP_BRIDGE_URL",
    url(
      ["http:", "https:"],
      "an http or https URL without user or password",
      (u) => !u.username && !u.password,
    ),
    "Platform without a bridge: where the bridge answers, for the health check. Without /mcp.",
  ),
  oidcIssuer: optional(
    "PAWL_OIDC_ISSUER",
    url(
      ["http:", "https:"],
      "an https URL without user, query or fragment (http on this machine only)",
      (u) =>
        !u.username &&
        !u.search &&
        !u.hash &&
        (u.protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(u.hostname)),
    ),
    "Identity provider whose access tokens open /mcp and where people sign in, exactly as its metadata names it. Unset: tokens made in Pawl only.",
  ),
  oidcAudience: optional(
    "PAWL_OIDC_AUDIENCE",
    text(/^[\x21-\x7e]+$/, "text", "the audience of the tokens, without spaces"),
    "What the identity provider's tokens must be meant for. Unset: the URL of /mcp.",
  ),
  oidcClientId: optional(
    "PAWL_OIDC_CLIENT_ID",
    text(/^[\x21-\x7e]+$/, "text", "a client id, without spaces"),
    "What the identity provider knows Pawl as: then people sign in there. Its redirect URI is /session/oidc/callback below PAWL_PUBLIC_URL.",
  ),
  oidcClientSecret: optional(
    "PAWL_OIDC_CLIENT_SECRET",
    text(/^[\x20-\x7e]+$/, "text", "a client secret"),
    "Proves to the identity provider that it is Pawl. Unset: it is told apart by PKCE alone.",
    { masked: "all" },
  ),
  oidcName: withDefault(
    "PAWL_OIDC_NAME",
    text(/^[^\p{Cc}]{1,60}$/u, "text", "at most 60 characters"),
    "your organisation",
    "What the sign-in page calls the identity provider: Sign in with …",
  ),
  oidcPrincipalClaim: withDefault(
    "PAWL_OIDC_PRINCIPAL_CLAIM",
    text(/^[\x21-\x7e]+$/, "text", "the name of a claim"),
    "sub",
    "Claim that names the principal: its externalId or, where it has none, its name. One that people can change themselves is unsafe.",
  ),
  mcpAllowedHosts: withDefault(
    "PAWL_MCP_ALLOWED_HOSTS",
    hostNames,
    "",
    "Names that requests to /mcp may be addressed to. Empty: that of PAWL_PUBLIC_URL, the address it listens on, and localhost.",
  ),
  mcpAllowedOrigins: withDefault(
    "PAWL_MCP_ALLOWED_ORIGINS",
    hostNames,
    "",
    "Names of the sites whose pages may call /mcp. Empty: the same as PAWL_MCP_ALLOWED_HOSTS has by default.",
  ),
  mcpConfirm: withDefault(
    "PAWL_MCP_CONFIRM",
    oneOf("argument", "off"),
    "argument",
    "Whether an assistant's stop of a run has to be confirmed: by the user where the client can ask, else by an argument.",
  ),
  mcpCallsPerMinute: withDefault(
    "PAWL_MCP_CALLS_PER_MINUTE",
    integer(0, 1_000_000),
    "600",
    "Calls that a user may make of one MCP tool; a fifth of that of those that start or change runs. 0: any number.",
  ),
  mcpRequestsPerMinute: withDefault(
    "PAWL_MCP_REQUESTS_PER_MINUTE",
    integer(0, 1_000_000),
    "1200",
    "Requests of any kind that one token may make to /mcp in a minute. 0: any number.",
  ),
} satisfies Record<string, Setting>;
