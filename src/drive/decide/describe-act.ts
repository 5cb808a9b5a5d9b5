/** What someone did with the work of a run, in words. Pure. */
import { nameDecider } from '../../agents/describe-for-people.ts'
import type { Act } from '../record/act-state.ts'

const COMMIT_CHARACTERS = 12

/** `merged into main as 1a2b3c4d5e6f by ada (terminal)`. Without a key, no one is known. */
export function describeAct(act: Act): string {
  const kept = act.type === 'discarded' ? `; ${whatIsKept(act.data)}` : ''
  const { by } = act.data
  return `${whatWasDone(act)}${by.via === 'none' ? '' : ` by ${nameDecider(by)}`}${kept}`
}

function whatIsKept({ commit, until }: Extract<Act, { type: 'discarded' }>['data']): string {
  if (commit === undefined) return 'it had changed nothing, so there was nothing to delete'
  return `commit ${short(commit)} is kept until ${until}`
}

function whatWasDone({ type, data }: Act): string {
  switch (type) {
    case 'merged':
      return describeMerge(data)
    case 'pull_request_opened':
      return `pull request ${data.url} opened`
    case 'discarded':
      return 'discarded'
    case 'discard_undone':
      return data.commit === undefined ? 'brought back' : `brought back to ${data.branch}`
    case 'taken':
      return `checked out in ${data.root}`
  }
}

type Merged = Extract<Act, { type: 'merged' }>['data']

export function describeMerge({ into, commit, how }: Omit<Merged, 'by'>): string {
  return how === 'by_hand' ? `merged into ${into} before` : `merged into ${into} as ${short(commit)}`
}

function short(commit: string): string {
  return commit.slice(0, COMMIT_CHARACTERS)
}
