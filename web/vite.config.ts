import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressed } from "./build/compressed.ts";
import { firstLoadBudget } from "./build/first-load-budget.ts";
import { slimRoutes } from "./build/slim-routes.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "/ui/",
  plugins: [slimRoutes(), react(), firstLoadBudget({ kilobytes: 300 }), compressed()],
  resolve: {
    alias: {
      "@contract": here("../src/contract"),
      "@client": here("../src/client"),
      // The server checks what is sent; a browser needs the paths and the types of the contract, not its schemas.
      typebox: here("build/no-schemas.ts"),
      "@rjsf/validator-ajv8": here("build/no-ajv.ts"),
    },
  },
  build: {
    outDir: "dist",
    target: "es2023",
    // From here on browsers know light-dark(). Lowered for older ones, it hangs on a color-scheme rule beside it, which is
    // in Mantine's own files: its colours were then none at all.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What counts is what comes over the wire at first: the budget above.
    chunkSizeWarningLimit: 1_000,
  },
  server: {
    port: 5173,
    // Everything but the interface itself is the API of a Pawl that runs beside.
    proxy: { "^/(?!ui/|@|node_modules/)": process.env.PAWL_URL ?? "http://127.0.0.1:7295" },
  },
});
