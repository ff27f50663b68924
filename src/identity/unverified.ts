/**
 * Whether the claim is an address that its provider says nobody has verified: who may enter any there could enter that of a
 * principal. Some providers say nothing of it, and are taken at their word.
 */
export function isUnverified(
  claim: string,
  { email_verified }: { readonly [name: string]: unknown },
): boolean {
  return claim === "email" && (email_verified === false || email_verified === "false");
}

export const unverified = "The identity provider says that nobody has verified the email address.";
