/** What is stored in the directory of the user for all runs. */
import { Type } from 'typebox'
import { Digest, UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { literals, type Message, meaning, named, strict } from '../../kit/shape.ts'

/** Stored in the directory of the user when an agent reaches a limit, so that the next run waits without a request. */
export const AgentLimit = named(
  'agentLimit',
  strict(
    {
      version: Type.Literal(1),
      backend: Type.String({ description: 'The agent.' }),
      code: Type.String({ description: 'How it failed.' }),
      until: meaning('When it may be tried again.', UtcTimestamp),
      is_guess: Type.Optional(
        Type.Literal(true, { description: 'The agent did not say when. drover tries again then.' }),
      ),
    },
    { title: 'Agent limit', description: 'A limit of the provider of an agent.' },
  ),
)
export type AgentLimit = Message<typeof AgentLimit>

/** Stored in the directory of the user when `drover drive` has asked, so that it asks once. */
export const SettingsDecision = named(
  'settingsDecision',
  strict(
    {
      version: Type.Literal(1),
      digest: meaning('Digest of the repository and of all settings for agents in it.', Digest),
      decision: literals(['trusted', 'refused']),
      repository: Type.String({ description: 'The git directory of the repository.' }),
      paths: Type.Array(Type.String(), { description: 'The files with the settings.' }),
      decided_at: meaning('When the user decided.', UtcTimestamp),
    },
    { title: 'Settings decision', description: 'Whether agents may use the settings of a project.' },
  ),
)
export type SettingsDecision = Message<typeof SettingsDecision>
