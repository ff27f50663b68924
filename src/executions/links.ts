import { createHash, randomBytes } from "node:crypto";
import type { ApprovalLinks, ApprovalLinksRequest } from "../contract/control.ts";
import { ApiError } from "../contract/errors.ts";
import type { Decision } from "../engine/engine.ts";
import { stepExecutionId } from "../engine/step-execution-id.ts";
import { holds, type Principal } from "../http/principal.ts";
import { newId } from "../lib/ids.ts";
import type { ControlDeps } from "./control.ts";
import type { LinkPair } from "./control-store.ts";
import { decisionOf, readAnswers, requireMayDecide } from "./decide.ts";
import { requireVisible } from "./read.ts";

const hourMs = 3_600_000;

export interface LinkDeps extends ControlDeps {
  /** Where people reach Pawl, without a slash at the end. */
  publicUrl(): string;
  /** Somebody with the rights that they have now; undefined when they are not there any more. */
  findPrincipal(id: string): Promise<Principal | undefined>;
}

/**
 * Makes a pair of links for the decision that the execution waits for. A link decides in the name of who made it, so only
 * those who may decide can make one.
 * @throws ApiError NOT_FOUND, INVALID_STATE, FORBIDDEN
 */
export async function makeLinks(
  deps: LinkDeps,
  principal: Principal,
  executionId: string,
  { expiresInHours = 168 }: ApprovalLinksRequest,
): Promise<ApprovalLinks> {
  await requireVisible(deps.store, principal, executionId);
  const hold = await deps.control.findHold(executionId);
  const decision = hold && decisionOf(hold);
  if (!hold || !decision || hold.position === null) {
    throw new ApiError("INVALID_STATE", `The execution is ${hold?.status} and waits for no decision.`);
  }
  requireMayDecide(principal, decision);
  const expiresAt = Math.min(
    Date.now() + expiresInHours * hourMs,
    decision.deadline ?? Number.POSITIVE_INFINITY,
  );
  const [approve, reject] = [newToken(), newToken()];
  await deps.control.keepLinks({
    id: newId(),
    executionId,
    run: hold.run,
    position: hold.position,
    madeBy: principal.name,
    madeById: principal.id,
    expiresAt,
    approveHash: hashOf(approve),
    rejectHash: hashOf(reject),
  });
  const url = (token: string) => `${deps.publicUrl()}/approval/${token}`;
  return {
    approveUrl: url(approve),
    rejectUrl: url(reject),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** A link that can still decide. */
export interface OpenLink {
  pair: LinkPair;
  approve: boolean;
  jobName: string;
  decision: Decision;
}

/**
 * Looks at everything again that made the link: its decision is still waited for, and who made it may still decide.
 * @throws ApiError NOT_FOUND for an unknown token, INVALID_STATE for one that can't decide any more
 */
export async function openLink(deps: LinkDeps, token: string): Promise<OpenLink> {
  const { control } = deps;
  const link = await control.findLink(hashOf(token));
  if (!link) throw new ApiError("NOT_FOUND", "There is no such link. Check that it is whole.");
  const { approve, ...pair } = link;
  if (pair.usedAt) throw await usedBefore(deps, pair);
  if (pair.expiresAt.getTime() <= Date.now()) throw new ApiError("INVALID_STATE", "This link has expired.");
  const hold = await control.findHold(pair.executionId);
  const decision = hold && decisionOf(hold);
  if (!decision || hold?.run !== pair.run || hold.position !== pair.position) {
    const why = "The execution does not wait for this decision any more.";
    throw new ApiError("INVALID_STATE", `${why}${await whoDecided(deps, pair)}`);
  }
  if (!(await mayStillDecide(deps, pair, decision))) {
    throw new ApiError(
      "INVALID_STATE",
      `This link decides in the name of ${pair.madeBy}, who may not decide this any more. Ask somebody who may for another.`,
    );
  }
  return { pair, approve, jobName: hold.jobName, decision };
}

async function usedBefore(deps: ControlDeps, pair: LinkPair): Promise<ApiError> {
  const why = "This link, or the other of its pair, was used before.";
  return new ApiError("INVALID_STATE", `${why}${await whoDecided(deps, pair)}`);
}

/** A sentence for who comes second; nothing where nobody has decided. */
async function whoDecided({ control }: ControlDeps, pair: LinkPair): Promise<string> {
  const made = await control.findDecisionSince(pair);
  if (!made) return "";
  const at = `${made.at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return ` It was ${made.action === "APPROVE" ? "approved" : "rejected"} by ${made.actor} on ${at}.`;
}

async function mayStillDecide(
  { store, findPrincipal }: LinkDeps,
  { madeById, executionId }: LinkPair,
  decision: Decision,
): Promise<boolean> {
  const maker = madeById === null ? undefined : await findPrincipal(madeById);
  if (!maker || !holds(maker, "JobService:JobExecution:approve")) return false;
  try {
    await requireVisible(store, maker, executionId);
    requireMayDecide(maker, decision);
    return true;
  } catch (error) {
    if (error instanceof ApiError && ["NOT_FOUND", "FORBIDDEN"].includes(error.code)) return false;
    throw error;
  }
}

/**
 * Decides what the link is for, once.
 * @throws ApiError NOT_FOUND, INVALID_STATE, VALIDATION_FAILED
 */
export async function submitLink(
  deps: ControlDeps,
  link: OpenLink,
  given: { comment?: string | undefined; answers?: Record<string, unknown> },
): Promise<void> {
  const { pair, approve, decision } = link;
  const answers = readAnswers(decision, { approve, ...(given.answers ? { answers: given.answers } : {}) });
  if (!(await deps.control.useLinks(pair.id))) throw await usedBefore(deps, pair);
  try {
    await deps.engine.decide({
      executionId: pair.executionId,
      actor: `${pair.madeBy} (approval link)`,
      reason: given.comment,
      approve,
      stepExecutionId: stepExecutionId(pair.executionId, pair.run, pair.position),
      ...(answers ? { answers } : {}),
    });
  } catch (error) {
    // Whoever decided it was first has used it up; after any other fault it may be tried again.
    if (!(error instanceof ApiError && error.code === "INVALID_STATE")) {
      await deps.control.giveBackLinks(pair.id).catch(() => {});
    }
    throw error;
  }
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
