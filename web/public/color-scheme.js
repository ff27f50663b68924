// Before the first paint, so that no light page flashes in a dark room. A file, since inline script is not allowed.
(() => {
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("pawl-color-scheme") || "auto";
  } catch {}
  const dark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
