import { locateGh } from '../../forge/gh.ts'
import { isDigest } from '../../kit/digest.ts'
import { draftBody, draftBundle } from '../../source/draft.ts'
import { fetchComments } from '../../source/fetch-comments.ts'
import type { RunCommand } from '../command.ts'
import { argumentMissing, flagsConflict, flagValueInvalid } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'

export const run: RunCommand = async ({ flags, runtime }) => {
  const { env, cwd, terminal } = runtime
  const urls = flags.texts('comment')
  const [title, amends] = [flags.text('title'), flags.text('amends')]
  if (urls.length === 0) {
    if (amends !== undefined) throw argumentMissing({ command: 'source draft --amends', name: '--comment' })
    await terminal.out.write(draftBundle({ title: title ?? 'What should change' }))
    return 0
  }
  if (title !== undefined) throw flagsConflict({ flags: ['--title', '--comment'] })
  if (amends !== undefined && !isDigest(amends)) {
    const allowed = 'a digest, sha256: and 64 lowercase hexadecimal digits'
    throw flagValueInvalid({ flag: '--amends', given: amends, allowed })
  }
  const { signal } = listenForInterruption()
  const comments = await fetchComments(urls, { gh: locateGh({ env, cwd }), signal })
  await terminal.out.write(draftBody(comments, amends))
  return 0
}
