import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useNow } from "../../components/clock.ts";
import { fullTime } from "../../components/time-format.ts";

const day = 86_400_000;
/** From when on an expiry is told apart: time enough to get another. */
const soonDays = 30;

type Validity = "expired" | "soon" | "early" | "valid";

export function validityOf(
  { notBefore, expiresAt }: { notBefore: string; expiresAt: string },
  now: number,
): Validity {
  const end = Date.parse(expiresAt);
  if (end <= now) return "expired";
  if (Date.parse(notBefore) > now) return "early";
  return end - now < soonDays * day ? "soon" : "valid";
}

const looks = {
  expired: { tone: "red", icon: IconCircleX },
  soon: { tone: "amber", icon: IconAlertTriangle },
  early: { tone: "amber", icon: IconAlertTriangle },
  valid: { tone: "green", icon: IconCircleCheck },
} as const;

/** When a certificate expires, in words, and loud when that is soon. */
export function Expiry({ certificate }: { certificate: { notBefore: string; expiresAt: string } }) {
  const now = useNow(false);
  const validity = validityOf(certificate, now);
  const { tone, icon: Icon } = looks[validity];
  return (
    <span
      title={fullTime(new Date(validity === "early" ? certificate.notBefore : certificate.expiresAt))}
      style={{
        display: "inline-flex",
        verticalAlign: "middle",
        alignItems: "center",
        gap: 5,
        whiteSpace: "nowrap",
        color: `var(--st-${tone})`,
        fontWeight: validity === "valid" ? 400 : 600,
      }}
    >
      <Icon size={15} stroke={2} aria-hidden />
      {words(validity, certificate, now)}
    </span>
  );
}

function words(
  validity: Validity,
  { notBefore, expiresAt }: { notBefore: string; expiresAt: string },
  now: number,
): string {
  if (validity === "early") return `not valid before ${new Date(notBefore).toLocaleDateString()}`;
  const days = Math.floor(Math.abs(Date.parse(expiresAt) - now) / day);
  const length =
    days >= 730
      ? `${Math.floor(days / 365)} years`
      : days === 1
        ? "1 day"
        : days === 0
          ? "a day"
          : `${days} days`;
  if (validity === "expired") return days === 0 ? "expired today" : `expired ${length} ago`;
  return days === 0 ? "expires within a day" : `expires in ${length}`;
}

/** The common name of a subject or issuer; all of it where it has none. */
export function commonName(distinguished: string): string {
  return /(?:^|[,\n]\s*)CN=([^,\n]+)/.exec(distinguished)?.[1] ?? distinguished;
}
