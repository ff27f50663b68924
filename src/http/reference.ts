import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { routes } from "../contract/routes.ts";
import { openApi } from "./openapi.ts";

/** `/openapi.json` and the page that shows it, `/docs`. The page loads nothing from elsewhere. */
export async function addReference(app: FastifyInstance): Promise<void> {
  // Made when somebody first asks: most servers end without that.
  let made: ReturnType<typeof openApi> | undefined;
  const document = () => {
    made ??= openApi(routes);
    return made;
  };
  await app.register(standInForSwagger(document));
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    // Without the bar of another product's name, which also offers to explore other addresses.
    uiConfig: {
      layout: "BaseLayout",
      deepLinking: true,
      docExpansion: "list",
      validatorUrl: null,
      persistAuthorization: false,
    },
    theme: { title: "Pawl API" },
    staticCSP: {
      "default-src": "'none'",
      "script-src": "'self'",
      // Swagger UI sets style attributes.
      "style-src": "'self' 'unsafe-inline'",
      "img-src": "'self' data:",
      "font-src": "'self'",
      "connect-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
    },
  });
  app.get("/openapi.json", (_request, reply) => {
    reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(document()));
  });
}

/** Swagger UI asks for the plugin that makes documents out of Fastify schemas; ours is made from the route table. */
function standInForSwagger(document: () => object) {
  const plugin = async (app: FastifyInstance) => {
    app.decorate(
      "swagger" as never,
      ((options?: { yaml?: boolean }) =>
        // YAML reads JSON.
        options?.yaml ? JSON.stringify(document(), null, 2) : document()) as never,
    );
  };
  return Object.assign(plugin, {
    [Symbol.for("skip-override")]: true,
    [Symbol.for("plugin-meta")]: { name: "@fastify/swagger" },
  });
}
