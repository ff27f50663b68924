import Type from "typebox";
import { Session, SignInMethods, SignInRequest } from "./identity.ts";
import type { Route } from "./routes.ts";

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

/** How browsers get a session, and lose it. */
export const sessionRoutes = {
  listSignInMethods: {
    method: "GET",
    path: "/session/methods",
    access: "public",
    tag: "Identity",
    summary: "How one can sign in here",
    data: SignInMethods,
    errors: [],
  },
  signIn: {
    method: "POST",
    path: "/session",
    access: "public",
    tag: "Identity",
    audits: "session",
    summary: "Sign a browser in with an API token or the code of a sign-in link",
    description:
      "Sets a cookie that stands for the principal for 12 hours, or as long as the token is valid. Give either `token` or `code`. Unsafe methods count only from Pawl's own pages.",
    body: SignInRequest,
    data: Session,
    errors: ["UNAUTHENTICATED", "FORBIDDEN"],
  },
  signOut: {
    method: "DELETE",
    path: "/session",
    access: "authenticated",
    tag: "Identity",
    audits: "session",
    summary: "End the browser's session",
    data: Type.Null(),
    errors: ["FORBIDDEN"],
  },
  beginOidcSignIn: {
    method: "GET",
    path: "/session/oidc",
    access: "public",
    tag: "Identity",
    summary: "Send a browser to the identity provider",
    description: "Answers 303, and sets a cookie that the way back needs within ten minutes.",
    query: Type.Object({
      to: Type.Optional(
        Type.String({ maxLength: 2000, description: "The page of the interface to lead to afterwards." }),
      ),
    }),
    data: Type.Null(),
    bare: true,
    status: 303,
    errors: ["NOT_FOUND", "ISSUER_UNAVAILABLE"],
  },
  finishOidcSignIn: {
    method: "GET",
    path: "/session/oidc/callback",
    access: "public",
    tag: "Identity",
    audits: "session",
    summary: "Where the identity provider sends the browser back",
    description:
      "Answers 303: to the page that was wanted with a session, or to the sign-in page with the reason why there is none.",
    query: Type.Object({
      code: text(4096),
      state: text(1024),
      iss: text(2048),
      error: text(200),
      error_description: text(2000),
      error_uri: text(2000),
      session_state: text(1024),
      scope: text(2000),
      authuser: text(200),
      prompt: text(200),
      hd: text(200),
    }),
    data: Type.Null(),
    bare: true,
    status: 303,
    errors: ["NOT_FOUND"],
  },
} satisfies Record<string, Route>;
