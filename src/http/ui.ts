import { existsSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";
import { ApiError } from "../contract/errors.ts";

// No script but our files, and no frame around it. Mantine and CodeMirror set style attributes and elements.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * The web interface under `/ui/`, where `/` leads. Files below `assets/` have their hash in their name and never change;
 * any other path is a page of the one-page application.
 * @param folder where it was built; nothing is served when it was not
 */
export async function addUi(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, "index.html"))) return;
  app.route({ method: ["GET", "HEAD"], url: "/", handler: (_request, reply) => reply.redirect("/ui/") });
  app.route({ method: ["GET", "HEAD"], url: "/ui", handler: (_request, reply) => reply.redirect("/ui/") });
  await app.register(
    async (ui) => {
      ui.addHook("onRequest", (_request, reply, done) => {
        reply.header("content-security-policy", policy);
        done();
      });
      ui.setNotFoundHandler((request, reply) => {
        const path = request.raw.url!.split("?", 1)[0]!;
        if (path.startsWith("/ui/assets/") || !["GET", "HEAD"].includes(request.method)) {
          throw new ApiError("NOT_FOUND", `There is nothing at ${path.slice(0, 200)}. Load the page again.`);
        }
        return reply.sendFile("index.html");
      });
      await ui.register(fastifyStatic, {
        root: folder,
        prefix: "/",
        index: "index.html",
        preCompressed: true,
        cacheControl: false,
        setHeaders: setCaching,
      });
    },
    { prefix: "/ui" },
  );
}

function setCaching(reply: FastifyReply, path: string): void {
  const forever = path.includes("/assets/");
  reply.header("cache-control", forever ? "public, max-age=31536000, immutable" : "no-cache");
}
