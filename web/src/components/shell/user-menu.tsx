import { ActionIcon, Menu, SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { IconApi, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../services/api.ts";
import { useMe } from "../../services/session.tsx";

/** Who is signed in, light or dark, and the way out. */
export function UserMenu() {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu width={240} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Account of ${me.name}`}>
          <IconUserCircle size={22} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="clip">Signed in as {me.name}</Menu.Label>
        <SegmentedControl
          fullWidth
          size="xs"
          m="xs"
          aria-label="Appearance"
          data={[
            { value: "auto", label: "System" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        />
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconApi size={16} />}
          component="a"
          href="/docs"
          target="_blank"
          rel="noreferrer"
        >
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Ends the session and forgets everything that was read with it. */
export function useSignOut() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => api.signOut(),
    onSuccess: async () => {
      await navigate({ to: "/sign-in" });
      queryClient.clear();
      localStorage.removeItem("pawl-recent");
    },
  });
}
