import {
  Button,
  Center,
  Code,
  Divider,
  Group,
  Loader,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { api, asClientError } from "../../services/api.ts";
import { meQuery } from "../../services/session.tsx";

const route = getRouteApi("/sign-in");

/** Signs in with an API token, or by itself with the code of a link, which is in the address after #. */
export function SignInPage() {
  useDocumentTitle("Sign in · Pawl");
  const [token, setToken] = useState("");
  const signIn = useSignIn();
  const { mutate } = signIn;
  const methods = useQuery(methodsQuery);
  const { to } = route.useSearch();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const { code, fault } = takeHash();
    if (code) mutate({ code });
    setFault(fault);
  }, [mutate]);
  const byLink = signIn.variables?.code !== undefined;

  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper p="xl" w="100%" maw={420}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            mutate({ token });
          }}
        >
          <Stack gap="md">
            <Group gap="sm">
              <img src="/ui/favicon.svg" alt="" width={32} height={32} />
              <Title order={1}>Sign in to Pawl</Title>
            </Group>
            {signIn.isPending && byLink ? (
              <Group gap="sm" mih={120}>
                <Loader size="sm" />
                <Text>Signing you in …</Text>
              </Group>
            ) : (
              <>
                {fault && <Fault error={new Error(fault)} title="You were not signed in" />}
                {methods.data?.oidc && (
                  <>
                    <Button
                      component="a"
                      href={`/session/oidc${to ? `?to=${encodeURIComponent(to)}` : ""}`}
                      fullWidth
                    >
                      Sign in with {methods.data.oidc.name}
                    </Button>
                    <Divider label="or" />
                  </>
                )}
                {signIn.error && (
                  <Fault
                    error={signIn.error}
                    title={byLink ? "The link did not work" : "That did not work"}
                  />
                )}
                <PasswordInput
                  label="API token"
                  description={
                    <>
                      The first one is in <Code>admin-token</Code> in Pawl's data directory.
                    </>
                  }
                  placeholder="pawl_…"
                  autoComplete="current-password"
                  name="token"
                  required
                  autoFocus={!methods.data?.oidc}
                  value={token}
                  onChange={(event) => setToken(event.currentTarget.value)}
                />
                <Button
                  type="submit"
                  variant={methods.data?.oidc ? "default" : "filled"}
                  loading={signIn.isPending}
                  fullWidth
                >
                  Sign in
                </Button>
              </>
            )}
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}

/**
 * What stands after # in the address: the code of a sign-in link, or why the identity provider signed nobody in. Out of the
 * address at once, so that it is in no history and no bookmark.
 */
function takeHash(): { code?: string; fault?: string } {
  const text = location.hash.slice(1);
  if (text === "") return {};
  history.replaceState(history.state, "", location.pathname + location.search);
  return text.startsWith("fault=") ? { fault: new URLSearchParams(text).get("fault")! } : { code: text };
}

const methodsQuery = queryOptions({
  queryKey: ["sign-in-methods"],
  queryFn: async ({ signal }) => (await api.listSignInMethods({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

function useSignIn() {
  const queryClient = useQueryClient();
  const router = useRouter();
  const { to } = route.useSearch();
  return useMutation({
    mutationFn: async (credential: { token?: string; code?: string }) => {
      await api.signIn({ body: credential });
      queryClient.clear();
      // Some browsers keep no secure cookie over plain HTTP, not even on this machine.
      await queryClient.fetchQuery(meQuery).catch((error: unknown) => {
        if (asClientError(error)?.code !== "UNAUTHENTICATED") throw error;
        throw new Error(
          "The token is right, but this browser did not keep the session's cookie. Use another browser, or reach Pawl over HTTPS.",
        );
      });
    },
    onSuccess: () => router.history.replace(router.basepath.replace(/\/$/, "") + (to ?? "/")),
  });
}
