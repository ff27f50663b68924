import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  NavLink,
  ScrollArea,
  Text,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { Fragment, lazy, Suspense, useEffect, useState } from "react";
import { asClientError } from "../../services/api.ts";
import { MeProvider, meQuery, useCan } from "../../services/session.tsx";
import { Fault } from "../fault.tsx";
import { PageSkeleton } from "../page-skeleton.tsx";
import classes from "./frame.module.css";
import { placesFor } from "./navigation.ts";
import { UserMenu } from "./user-menu.tsx";

const SearchBox = lazy(() => import("../../features/search/search-box.tsx"));

/** The navigation and the top bar around every page; leads to the sign-in page when nobody is signed in. */
export function Frame() {
  const me = useQuery(meQuery);
  const router = useRouter();
  const signedOut = asClientError(me.error)?.code === "UNAUTHENTICATED";
  useEffect(() => {
    if (!signedOut) return;
    // Where one is now, not where each render says: the way to the sign-in page takes several.
    const { href } = router.state.location;
    void router.navigate({ to: "/sign-in", search: { to: href === "/" ? undefined : href }, replace: true });
  }, [signedOut, router]);
  if (me.data && !signedOut) {
    return (
      <MeProvider me={me.data}>
        <Shell />
      </MeProvider>
    );
  }
  return (
    <main className={classes.alone}>
      {me.error && !signedOut ? (
        <Fault error={me.error} onRetry={() => void me.refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </main>
  );
}

function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "md", md: "xl" }}
    >
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Link to="/" className={classes.brand}>
              <img src="/ui/favicon.svg" alt="" width={24} height={24} />
              Pawl
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Search />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} component="nav" aria-label="Main">
        <AppShell.Section grow component={ScrollArea} p="xs">
          <Navigation />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation() {
  const can = useCan();
  const shown = placesFor(can);
  return shown.map(({ label, to, icon: Icon, part }, i) => (
    <Fragment key={to}>
      {part !== shown[i - 1]?.part && (
        <Text size="xs" fw={600} c="dimmed" mt="md" mb={4} px="sm">
          {part}
        </Text>
      )}
      <NavLink
        className={classes.place}
        renderRoot={(props) => (
          <Link
            to={to}
            activeOptions={{ exact: to === "/" }}
            activeProps={{ "data-active": true, "aria-current": "page" }}
            {...props}
          />
        )}
        label={label}
        leftSection={<Icon size={18} stroke={1.7} />}
      />
    </Fragment>
  ));
}

/** The search box is loaded when it is first wanted. */
function Search() {
  const [wanted, setWanted] = useState(0);
  const open = () => setWanted((times) => times + 1);
  useHotkeys([["mod+K", open]], []);
  return (
    <>
      <UnstyledButton
        className={classes.search}
        onClick={open}
        visibleFrom="sm"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <IconSearch size={15} aria-hidden />
        <Text size="sm" c="dimmed">
          Search
        </Text>
        <kbd className={classes.keys}>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K"}</kbd>
      </UnstyledButton>
      <ActionIcon variant="subtle" color="gray" size="lg" onClick={open} hiddenFrom="sm" aria-label="Search">
        <IconSearch size={19} />
      </ActionIcon>
      {wanted > 0 && (
        <Suspense>
          <SearchBox wanted={wanted} />
        </Suspense>
      )}
    </>
  );
}
