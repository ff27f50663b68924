import { Stack } from "@mantine/core";
import { useCan } from "../../services/session.tsx";
import { EngineCard } from "./engine-card.tsx";
import { VaultCard } from "./vault-card.tsx";

/** The engine and the vault of this Pawl. */
export function SystemPage() {
  const can = useCan();
  return (
    <Stack gap="xl">
      {(can("AdminService:Engine:read") || can("AdminService:Engine:drain")) && <EngineCard />}
      {can("AdminService:Vault:read") && <VaultCard />}
    </Stack>
  );
}
