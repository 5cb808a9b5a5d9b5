import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import { ContractVersion, Digest, RunState, SectionKey, SectionRole } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { NonEmptyPlainText, nonEmptyMarkdown } from './text.shape.ts'

const ActionMaterialSection = named(
  'actionMaterialSection',
  strict(
    {
      key: meaning('What it is called by.', SectionKey),
      role: SectionRole,
      title: meaning('Its heading.', NonEmptyPlainText),
      section_revision: meaning('Of key, role, title and text.', Digest),
      markdown: nonEmptyMarkdown({
        'x-max-utf8-bytes': LIMITS.sectionBytes,
        description: 'The text, exactly as it was pinned.',
      }),
    },
    { title: 'Material section', description: 'One section of the requirements with its text.' },
  ),
)

export const ActionMaterial = named(
  'actionMaterial',
  strict(
    {
      contract_version: ContractVersion,
      message_type: Type.Literal('action_material', { description: 'Which message this is.' }),
      run_id: meaning('The run.', NonEmptyPlainText),
      action_id: meaning('The action that it is read for.', NonEmptyPlainText),
      requirements_revision: meaning('Of what the sections require.', Digest),
      section: ActionMaterialSection,
    },
    { title: 'Action material', description: 'A section as the current action may read it.' },
  ),
)
export type ActionMaterial = Message<typeof ActionMaterial>

export const PinnedMaterial = named(
  'pinnedMaterial',
  strict(
    {
      contract_version: ContractVersion,
      message_type: Type.Literal('pinned_material', { description: 'Which message this is.' }),
      run_id: meaning('The run.', NonEmptyPlainText),
      run_state: meaning('Where it stands.', RunState),
      source_revision: meaning('Of the issue, its title and its manifest.', Digest),
      requirements_revision: meaning('Of what the sections require.', Digest),
      section: ActionMaterialSection,
    },
    { title: 'Pinned material', description: 'A section as a person may read it, in any state of the run.' },
  ),
)
export type PinnedMaterial = Message<typeof PinnedMaterial>
