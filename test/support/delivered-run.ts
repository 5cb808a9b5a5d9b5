/** A run that is delivered as a branch, and what is compared before and after something is done with it. */
import { realpathSync } from 'node:fs'
import { createDriving } from './driven-agents.ts'
import { type DrivenScript, dataOf, runIdIn } from './driven-home.ts'
import type { Repository } from './git-repository.ts'

/** Checks run after the work only. */
const QUICK = ['--no-review', '--rounds', '0', '--baseline', 'skip', '--check', 'sh check.sh']
export const GOAL = 'Show the wind in knots'

type Delivery = { script?: DrivenScript; args?: readonly string[]; before?: (repository: Repository) => void }

/** The repository has `main` checked out unless `before` changes that. */
export async function deliverRun({ script, args = [], before }: Delivery = {}) {
  const driving = createDriving(script)
  before?.(driving.repository)
  const ran = await driving.drive(GOAL, ...QUICK, ...args)
  const id = runIdIn(ran.stdout)
  const [started] = dataOf(driving.records(id), 'drive_started')
  const [delivered] = dataOf(driving.records(id), 'delivered')
  const { git } = driving.repository
  return {
    ...driving,
    id,
    root: realpathSync(driving.repository.root),
    place: started?.place ?? { root: '' },
    branch: delivered?.branch ?? '',
    commit: delivered?.commit ?? '',
    git: (...words: string[]) => git(...words).trim(),
    /** Commits to the branch that is checked out. */
    commitFile: (path: string, content: string) => {
      driving.repository.write(path, content)
      driving.repository.commit()
    },
    /** Everything that must not change if something is refused. */
    state: () => [
      git('for-each-ref'),
      git('status', '--porcelain', '--branch'),
      git('worktree', 'list'),
      git('stash', 'list'),
    ],
  }
}
