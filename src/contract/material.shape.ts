import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import { ContractVersion, Digest, RunState, SectionKey, SectionRole } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { NonEmptyPlainText, nonEmptyMarkdown } from './text-kinds.shape.ts'

const ActionMaterialSection = named(
  'actionMaterialSection',
  strict(
    {
      key: meaning('Key of the section.', SectionKey),
      role: SectionRole,
      title: meaning('Title of the section.', NonEmptyPlainText),
      section_revision: meaning('Digest of key, role, title and text.', Digest),
      markdown: nonEmptyMarkdown({
        'x-max-utf8-bytes': LIMITS.sectionBytes,
        description: 'The text, exactly as pinned.',
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
      message_type: Type.Literal('action_material', { description: 'Type of the message.' }),
      run_id: meaning('Id of the run.', NonEmptyPlainText),
      action_id: meaning('Id of the action that reads it.', NonEmptyPlainText),
      requirements_revision: meaning('Digest of the requirements in all sections.', Digest),
      section: ActionMaterialSection,
    },
    { title: 'Action material', description: 'The text of a section, for the current action.' },
  ),
)
export type ActionMaterial = Message<typeof ActionMaterial>

export const PinnedMaterial = named(
  'pinnedMaterial',
  strict(
    {
      contract_version: ContractVersion,
      message_type: Type.Literal('pinned_material', { description: 'Type of the message.' }),
      run_id: meaning('Id of the run.', NonEmptyPlainText),
      run_state: meaning('State of the run.', RunState),
      source_revision: meaning('Digest of the issue, its title and its manifest.', Digest),
      requirements_revision: meaning('Digest of the requirements in all sections.', Digest),
      section: ActionMaterialSection,
    },
    { title: 'Pinned material', description: 'The text of a section, for a person, in any state of the run.' },
  ),
)
export type PinnedMaterial = Message<typeof PinnedMaterial>
