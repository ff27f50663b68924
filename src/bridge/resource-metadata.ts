import { getOAuthProtectedResourceMetadataUrl } from "@modelcontextprotocol/server";
import type { FastifyInstance } from "fastify";

const path = "/.well-known/oauth-protected-resource";

/**
 * RFC 9728: where a client gets a token for the bridge. Without an identity provider it names none: then tokens are made by
 * people, in Pawl. Of the scopes it names the least; for the others a client is asked when it first needs them.
 */
export function resourceMetadata({ resource, issuer }: { resource(): URL; issuer: string | undefined }) {
  return {
    url: () => getOAuthProtectedResourceMetadataUrl(resource()),
    serve(app: FastifyInstance): void {
      for (const url of [`${path}/mcp`, path]) {
        app.get(url, async (_request, reply) => {
          reply.header("access-control-allow-origin", "*");
          return {
            resource: resource().href,
            authorization_servers: issuer === undefined ? [] : [issuer],
            scopes_supported: ["jobs:read"],
            bearer_methods_supported: ["header"],
            resource_name: "Pawl",
          };
        });
      }
    },
  };
}
