import { type Authority, covers } from "@contract/authorities.ts";
import type { WhoAmI } from "@contract/identity.ts";
import { queryOptions } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useCallback } from "react";
import { api } from "./api.ts";
import { keys } from "./keys.ts";

/** Who is signed in. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async ({ signal }) => (await api.whoAmI({ signal })).data,
  staleTime: 60_000,
});

const Me = createContext<WhoAmI | null>(null);

/** Tells what is inside who is signed in. */
export function MeProvider({ me, children }: { me: WhoAmI; children: ReactNode }) {
  return <Me value={me}>{children}</Me>;
}

/** Who is signed in; only inside the application's frame. */
export function useMe(): WhoAmI {
  const me = use(Me);
  if (me === null) throw new Error("Nobody is signed in here.");
  return me;
}

export type Can = (...needed: Authority[]) => boolean;

/** Whether who is signed in holds all of these: what they may not do is not offered. The server decides in the end. */
export function useCan(): Can {
  const { authorities } = useMe();
  return useCallback(
    (...needed) => needed.every((one) => authorities.some((held) => covers(held, one))),
    [authorities],
  );
}
