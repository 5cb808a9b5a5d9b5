/** What a server asks of the machine that has a run: the request, with the rights of its sender, and the answer. */
import { Fault, type FaultKind } from '../../kit/fault.ts'
import { DEPTH_VARIABLE } from '../../kit/process/environment-variables.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { DriveCaller } from './client-rules.ts'
import type { DrivenDiff, DrivenRun } from './driven-run.shape.ts'
import type { DriveAccess, OfAction, RunService } from './run-service.ts'
import type { PromptsFor, ResumeRequest, StartRequest } from './run-starter.ts'

/** What the key of a client allows, as its server knows it: a worker may have no keys. */
type Rights = { ceilings: PromptContext['ceilings']; client: PromptContext['client']; depth: string | undefined }

/** What only the machine of the run can do. */
export type Work =
  | { do: 'start'; request: StartRequest }
  | { do: 'diff'; id: string }
  | { do: 'answer'; id: string; given: OfAction & { text: string } }
  | { do: 'confirm'; id: string; given: OfAction & { scopeSha256: string } }
  | { do: 'skip'; id: string; given: OfAction }
  | { do: 'stop'; id: string }
  | { do: 'resume'; id: string; given: ResumeRequest }

export type RemoteCall = {
  caller: DriveCaller
  /** The id of the key whose runs are visible. */
  keyId: string | undefined
  rights: Rights | undefined
  /** Those of the key that started the run. */
  ownerRights: Rights | undefined
  work: Work
}

type RemoteAnswer = { value: DrivenRun | DrivenDiff } | { fault: { code: string; kind: FaultKind; message: string } }

export function rightsOf(promptsFor: PromptsFor, caller: DriveCaller): Rights | undefined {
  const prompts = promptsFor(caller)
  return prompts && { ceilings: prompts.ceilings, client: prompts.client, depth: prompts.env[DEPTH_VARIABLE] }
}

/** Does what another server asks for, with the rights that it names. `own` are the contexts of this process. */
export async function performCall(
  { work, ...call }: RemoteCall,
  own: PromptsFor,
  perform: (work: Work, access: DriveAccess) => Promise<DrivenRun | DrivenDiff>,
): Promise<string> {
  const access = { keyId: call.keyId, caller: call.caller, promptsFor: promptsForCall(call, own) }
  try {
    return encode({ value: await perform(work, access) })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { code, kind, message } = error
    return encode({ fault: { code, kind, message } })
  }
}

/** Throws what the machine reported. */
export function readAnswer(text: string): DrivenRun | DrivenDiff {
  const answer = JSON.parse(text) as RemoteAnswer
  if ('value' in answer) return answer.value
  throw new Fault({ ...answer.fault, details: {} })
}

/** The answer to a call that failed because of a bug. */
export const CALL_FAILED = encode({
  fault: {
    code: 'internal_error',
    kind: 'internal',
    message: 'an internal error; the log of the worker has the reason',
  },
})

function encode(answer: RemoteAnswer): string {
  return JSON.stringify(answer)
}

function promptsForCall({ caller, rights, ownerRights }: Omit<RemoteCall, 'work'>, own: PromptsFor): PromptsFor {
  return (who) => {
    const user = own({ is: 'user' })
    if (who.is === 'user') return user
    const isCaller = caller.is === 'client' && caller.keyId === who.keyId
    const found = isCaller ? rights : ownerRights
    if (user === undefined || found === undefined) return undefined
    const { ceilings, client, depth } = found
    const env = depth === undefined ? user.env : { ...user.env, [DEPTH_VARIABLE]: depth }
    return { ...user, caller: 'client', ceilings, client, env }
  }
}

/** On the machine that has the run. */
export async function performWork(runs: RunService, work: Work, access: DriveAccess): Promise<DrivenRun | DrivenDiff> {
  switch (work.do) {
    case 'start':
      return await runs.start(access, work.request)
    case 'diff':
      return await runs.diff(work.id, access)
    case 'answer':
      return await runs.answer(work.id, access, work.given)
    case 'confirm':
      return await runs.confirm(work.id, access, work.given)
    case 'skip':
      return await runs.skip(work.id, access, work.given)
    case 'stop':
      return await runs.stop(work.id, access)
    case 'resume':
      return await runs.resume(work.id, access, work.given)
  }
}
