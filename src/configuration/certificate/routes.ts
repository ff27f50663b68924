import type { FastifyInstance } from "fastify";
import type { Principal } from "../../http/principal.ts";
import { route } from "../../http/route.ts";
import { noSuch, readNamed, removeNamed } from "../named.ts";
import { openSealed } from "../sealed.ts";
import { foundMessage, searchPage } from "../search.ts";
import { usageMessage } from "../usage.ts";
import { presentCertificate, presentCertificateItem, presentDecrypted } from "./present.ts";
import { type CertificateRow, certificateFields, certificateTexts, sealedField } from "./store.ts";
import { type CertificateDeps, upsertCertificate } from "./upsert.ts";

/** Registers the routes of certificates. */
export function certificateRoutes(app: FastifyInstance, deps: CertificateDeps): void {
  const { store, vault, usageOf } = deps;
  const read = (key: { id: string } | { name: string }) =>
    readNamed<CertificateRow>(store, "certificate", key);

  route(app, "upsertCertificate", async (call) => {
    const { principal, body, query } = call;
    const done = await upsertCertificate(deps, principal, body, query.expectedVersion);
    const { certificate, outcome, changed } = done;
    call.audit({ target: { id: certificate.id, name: certificate.name }, changed });
    return {
      data: presentCertificate(certificate),
      message: outcome === "unchanged" ? "The certificate is as it was." : `The certificate is ${outcome}.`,
      status: outcome === "created" ? 201 : 200,
    };
  });
  route(app, "getCertificate", async ({ params }) => ({
    data: presentCertificate(await read({ id: params.id })),
    message: "The certificate.",
  }));
  route(app, "getCertificateByName", async ({ params }) => ({
    data: presentCertificate(await read({ name: params.certificateName })),
    message: "The certificate.",
  }));
  route(app, "certificateExists", async ({ params, query }) => {
    const data = await store.exists(params.name, query.id);
    return {
      data,
      message: data ? "There is a certificate of this name." : "There is no certificate of this name.",
    };
  });
  route(app, "searchCertificates", async ({ body }) => {
    const { rows, meta } = await searchPage(certificateFields, certificateTexts, body, store.search);
    return { data: rows.map(presentCertificateItem), meta, message: foundMessage("certificate", meta) };
  });
  route(app, "listCertificateOptions", async () => ({
    body: (await store.options()).map(({ id, name }) => ({ label: name, value: id })),
  }));

  // Recorded before it is answered: what can't be recorded is not told.
  route(app, "getDecryptedCertificate", async (call) => {
    const row = await read({ id: call.params.certificateId });
    const context = { record: row.id, field: sealedField };
    const key = row.sealed === null ? null : openSealed(vault, "certificate", context, row.sealed);
    await call.mustAudit({ target: { id: row.id, name: row.name } });
    return { data: presentDecrypted(row, key), message: "The certificate, with its private key." };
  });

  route(app, "getCertificateUsage", async ({ principal, params }) => {
    const data = await usageOf(principal, [await read({ id: params.id })]);
    return { data, message: usageMessage("certificate", data) };
  });

  const remove = (principal: Principal, ids: readonly string[], force: boolean | undefined) =>
    removeNamed<CertificateRow>(store, ids, {
      unless: force ? undefined : { noun: "certificate", principal, usageOf },
    });
  route(app, "deleteCertificate", async (call) => {
    const [removed] = (await remove(call.principal, [call.params.id], call.query.force)).removed;
    if (!removed) throw noSuch("certificate");
    call.audit({ target: { id: removed.id, name: removed.name } });
    return { data: null, message: "The certificate is deleted." };
  });
  route(app, "deleteCertificates", async (call) => {
    const { removed, answer } = await remove(call.principal, call.body.ids, call.query.force);
    for (const { id, name } of removed) call.audit({ target: { id, name } });
    const missing = answer.notFound.length === 0 ? "" : ` Not found: ${answer.notFound.length}.`;
    return { data: answer, message: `Deleted: ${answer.deleted.length}.${missing}` };
  });
}
