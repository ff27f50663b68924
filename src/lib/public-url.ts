const SECRET_NAME = /key|token|secret|passw|pwd|auth|sig|credential|session|code/i;

/** A URL that may be shown and kept: no user, password or fragment, and `***` for query values whose name suggests a secret. */
export function publicUrl(url: URL): string {
  const query = url.search
    .slice(1)
    .split("&")
    .map((pair) => {
      const [name = "", value] = pair.split("=", 2);
      return value && SECRET_NAME.test(name) ? `${name}=***` : pair;
    })
    .join("&");
  return `${url.origin}${url.pathname}${query && `?${query}`}`;
}
