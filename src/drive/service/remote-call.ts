/** What a server asks of the machine that has a run: the request, with the rights of its sender, and the answer. */
import { Fault, type FaultKind } from '../../kit/fault.ts'
import type { Caller } from '../../prompts/caller.ts'
import type { PatchPart } from '../../workspace/worktrees/diff-worktree.ts'
import type { WorkAct } from '../act/act-on-run.ts'
import type { QueuePlace } from '../decide/queue.ts'
import { driveNotPermitted } from '../faults.ts'
import type { DrivenDiff, DrivenRun } from './driven-run.shape.ts'
import type { DrivenRuns } from './driven-runs.ts'
import type { OfAction } from './run-service.ts'
import type { DriveResumeRequest, DriveStartRequest, MoreWork, Rights } from './run-starter.ts'

/** What only the machine of the run can do. */
export type Work =
  | { do: 'start'; request: DriveStartRequest }
  | { do: 'diff'; id: string; part?: PatchPart | undefined }
  | { do: 'answer'; id: string; given: OfAction & { text: string } }
  | { do: 'confirm'; id: string; given: OfAction & { scopeSha256: string } }
  | { do: 'skip'; id: string; given: OfAction }
  | { do: 'stop'; id: string }
  | { do: 'move'; id: string; place: QueuePlace }
  | { do: 'resume'; id: string; given: DriveResumeRequest }
  | { do: 'follow_up'; id: string; given: MoreWork }
  | { do: 'act'; id: string; act: WorkAct }

export type RemoteCall = {
  /** With what its server allows it: a worker may have no keys. */
  by: Caller
  /** The one that has started the run; undefined if it may not run agents any more, or is the user. */
  starter: Caller | undefined
  work: Work
}

type RemoteAnswer = { value: DrivenRun | DrivenDiff } | { fault: { code: string; kind: FaultKind; message: string } }

export type Perform = (work: Work, by: Caller, rights: Rights) => Promise<DrivenRun | DrivenDiff>

/** Does what another server asks for, with the rights that it names. */
export async function performCall({ work, by, starter }: RemoteCall, perform: Perform): Promise<string> {
  try {
    // The user of another machine comes as a client.
    if (by.is === 'user') throw driveNotPermitted({ key: undefined })
    return encode({ value: await perform(work, by, rightsIn({ by, starter })) })
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

function rightsIn({ by, starter }: Omit<RemoteCall, 'work'>): Rights {
  return (who) => {
    if (who.is === 'user') return who
    const isCaller = by.is === 'client' && by.key?.id === who.key?.id
    return isCaller ? by : starter
  }
}

/** On the machine that has the run. */
export async function performWork(
  runs: DrivenRuns,
  work: Work,
  { by, rights }: { by: Caller; rights?: Rights },
): Promise<DrivenRun | DrivenDiff> {
  switch (work.do) {
    case 'start':
      return await runs.start(by, work.request)
    case 'diff':
      return await runs.diff(by, work.id, work.part)
    case 'answer':
      return await runs.answer(by, work.id, { ...work.given, rights })
    case 'confirm':
      return await runs.confirm(by, work.id, { ...work.given, rights })
    case 'skip':
      return await runs.skip(by, work.id, { ...work.given, rights })
    case 'stop':
      return await runs.stop(by, work.id)
    case 'move':
      return await runs.move(by, work.id, work.place)
    case 'resume':
      return await runs.resume(by, work.id, { ...work.given, rights })
    case 'follow_up':
      return await runs.followUp(by, work.id, { ...work.given, rights })
    case 'act':
      return await runs.act(by, work.id, work.act)
  }
}
