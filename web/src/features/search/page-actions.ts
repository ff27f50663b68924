import { useMantineColorScheme } from "@mantine/core";
import { IconLogout, IconMoon, IconSun } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { IconType } from "../../components/icon.ts";
import { placesFor } from "../../components/shell/navigation.ts";
import { useSignOut } from "../../components/shell/user-menu.tsx";
import { useCan } from "../../services/session.tsx";

export interface PageAction {
  label: string;
  icon: IconType;
  run: () => void;
}

/** What can be done from anywhere, by those who may. */
export function usePageActions(): PageAction[] {
  const can = useCan();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return [
    ...placesFor(can).map(({ label, to, icon }) => ({
      label: `Go to ${label}`,
      icon,
      run: () => void navigate({ to }),
    })),
    { label: "Light appearance", icon: IconSun, run: () => setColorScheme("light") },
    { label: "Dark appearance", icon: IconMoon, run: () => setColorScheme("dark") },
    { label: "Sign out", icon: IconLogout, run: () => signOut.mutate() },
  ];
}
