/** Directories that stand for the caches of the user, one set for each repository. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../kit/digest.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import type { WorktreeDirectories } from './create-policy.ts'
import type { Stage } from './sandbox-policy.ts'

type Places = { droverHome: string; home: string; names: readonly string[] }

export function createCaches({ root, git }: WorktreeDirectories, { droverHome, home, names }: Places): Stage[] {
  const repository = digest(encodeUtf8(git?.commonDirectory ?? root)).replace('sha256:', '')
  return names.map((name) => {
    const from = join(droverHome, 'caches', repository, name)
    mkdirSync(from, { recursive: true, mode: 0o700 })
    return { path: join(home, name), from }
  })
}
