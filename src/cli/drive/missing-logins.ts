/** Tells a person at the terminal that an agent of a new run seems to have no login: the run would pause, perhaps hours later. */
import { lacksLogin } from '../../agents/locate-agents.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { Channel } from '../terminal.ts'

type Around = { readonly prompts: Pick<PromptContext, 'locate' | 'env'>; readonly err: Channel }

export async function noteMissingLogins(
  { options, is_reviewed: isReviewed }: Pick<DriveState, 'options' | 'is_reviewed'>,
  { prompts, err }: Around,
): Promise<void> {
  const agents = new Set([options.backend, ...(isReviewed === false ? [] : [options.review_backend])])
  for (const backend of agents) {
    const located = prompts.locate(backend)
    if (located === undefined || !lacksLogin(located, prompts.env)) continue
    const { login } = located.agent
    await err.write(`drover: warning: ${backend} has no login that drover can see; to log in, ${login}\n`)
  }
}
