/** What people did with the work of a run, as its events tell it. Pure. */
import type { DriveEvent, EventOf } from './drive-event.shape.ts'

/** What people did with the work of a run. */
export const ACTS = ['merged', 'pull_request_opened', 'discarded', 'discard_undone', 'taken'] as const

const STEPS = ['merge_checked', 'merging'] as const

/** A record of what someone did. */
export type Act = Extract<DriveEvent, { type: (typeof ACTS)[number] }>
type ActEvent = Act | Extract<DriveEvent, { type: (typeof STEPS)[number] }>

export type ActState = {
  /** What people did, oldest first. */
  readonly acts: readonly Act[]
  /** What the checks said about the last merge commit. */
  readonly merge_check?: EventOf<'merge_checked'>['data']
  /** A merge that was begun. It may have been done. */
  readonly merging?: EventOf<'merging'>['data']
  readonly merged?: EventOf<'merged'>['data']
  readonly discarded?: EventOf<'discarded'>['data']
}

type Acted = ActState & { readonly delivered?: EventOf<'delivered'>['data']; readonly pushed: readonly string[] }

export function isActEvent(event: DriveEvent): event is ActEvent {
  return ([...ACTS, ...STEPS] as readonly string[]).includes(event.type)
}

export function applyActEvent<S extends Acted>(state: S, event: ActEvent): S {
  if (event.type === 'merge_checked') return { ...state, merge_check: event.data }
  if (event.type === 'merging') return { ...state, merging: event.data }
  return applyAct({ ...state, acts: [...state.acts, event] }, event)
}

function applyAct<S extends Acted>(state: S, { type, data }: Act): S {
  switch (type) {
    case 'merged':
      return { ...state, merged: data }
    case 'pull_request_opened':
      return withPullRequest(state, data.url)
    case 'discarded':
      return { ...state, discarded: data }
    case 'discard_undone': {
      const { discarded: _, ...rest } = state
      return rest as S
    }
    case 'taken':
      return state
  }
}

function withPullRequest<S extends Acted>(state: S, url: string): S {
  const { delivered, pushed } = state
  if (delivered?.commit === undefined) return state
  return {
    ...state,
    delivered: { ...delivered, as: 'pr', pull_request: url },
    pushed: [delivered.commit, ...pushed],
  }
}
