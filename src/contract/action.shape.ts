import { type TProperties, type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, sequence, strict, tagged } from '../kit/shape.ts'
import { DestructiveAuthorization } from './destructive.shape.ts'
import { ContractVersion, Digest, IssueUrl, NodeId, SectionKey, SectionRole } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { NonEmptyMarkdownText, NonEmptyPlainText, nonEmptyMarkdown } from './text-kinds.shape.ts'

const keys = (description: string) =>
  Type.Array(SectionKey, { minItems: 1, maxItems: LIMITS.mostSections, uniqueItems: true, description })

const ActionSource = named(
  'actionSource',
  strict(
    {
      kind: Type.Literal('change_issue', { description: 'The kind of source.' }),
      canonical_url: meaning('URL of the issue.', IssueUrl),
      issue_id: meaning('Id of the issue at the provider.', NodeId),
      source_revision: meaning('Digest of the issue, its title and its manifest.', Digest),
      manifest_revision: meaning('Digest of the manifest.', Digest),
      requirements_revision: meaning('Digest of the requirements in all sections.', Digest),
    },
    { title: 'Action source', description: 'The issue that an action works for.' },
  ),
)

const ActionRequirementSection = named(
  'actionRequirementSection',
  strict(
    {
      key: meaning('Key of the section.', SectionKey),
      role: SectionRole,
      title: meaning('Title of the section.', NonEmptyPlainText),
      section_revision: meaning('Digest of key, role, title and text.', Digest),
      material_sha256: meaning('Digest of the text.', Digest),
      bytes: Type.Integer({ minimum: 1, maximum: LIMITS.sectionBytes, description: 'Size of the text in bytes.' }),
    },
    {
      title: 'Requirement section',
      description: 'One section of the requirements. The reader command returns its text.',
    },
  ),
)

const word = (text: string) => Type.Literal(text)

const ActionMaterialReader = named(
  'actionMaterialReader',
  strict(
    {
      operation: Type.Literal('read_material', { description: 'The purpose of the command.' }),
      base_argv: sequence<readonly string[]>(
        [
          ...['drover', 'protocol', 'material', '--root'].map(word),
          NonEmptyPlainText,
          word('--run'),
          NonEmptyPlainText,
          word('--action'),
          NonEmptyPlainText,
        ],
        { description: 'The command: `drover protocol material --root ROOT --run RUN --action ACTION`.' },
      ),
      input: strict(
        {
          name: Type.Literal('section', { description: 'Name of the input.' }),
          type: Type.Literal('enum', { description: 'Type of the input.' }),
          flag: Type.Literal('--section', { description: 'Flag of the input.' }),
          required: Type.Literal(true, { description: 'Whether the command requires it.' }),
          choices: keys('The keys of all sections, in order.'),
        },
        { description: 'The flag to add to the command, with the key of the section to read.' },
      ),
    },
    { title: 'Material reader', description: 'The command that reads the text of a section, and its input.' },
  ),
)

const ActionRequirements = named(
  'actionRequirements',
  strict(
    {
      requirements_revision: meaning('Digest of the requirements in all sections.', Digest),
      sections: Type.Array(ActionRequirementSection, {
        minItems: 1,
        maxItems: LIMITS.mostSections,
        description: 'The sections, in the order of the manifest.',
      }),
      required_for_action: keys('The sections to read before the work starts: all of them, in order.'),
      reader: ActionMaterialReader,
    },
    {
      title: 'Action requirements',
      description: 'The requirements of an action, and how to read them.',
      'x-rules': {
        sectionsHaveDistinctKeys: 'No two sections have the same key.',
        everySectionIsRequired:
          '`required_for_action` and the choices of the reader are the keys of all sections, in order.',
      },
    },
  ),
)

export type ActionRequirements = Message<typeof ActionRequirements>

/** Adds the fields of every action to those of one kind, in the order in which they are written. */
function action<K extends TSchema, P extends TProperties>(kind: K, own: P) {
  return strict({
    contract_version: ContractVersion,
    run_id: meaning('Id of the run.', NonEmptyPlainText),
    action_id: meaning('Id of the action, which its outcome repeats.', NonEmptyPlainText),
    kind,
    goal: meaning('Goal of the run.', NonEmptyMarkdownText),
    brief: nonEmptyMarkdown({ 'x-max-utf8-bytes': LIMITS.briefBytes, description: 'What to do in this action.' }),
    context: nonEmptyMarkdown({
      'x-max-utf8-bytes': LIMITS.contextBytes,
      description: 'Earlier decisions and outcomes.',
    }),
    ...own,
    remaining_budget: Type.Integer({ minimum: 0, description: 'Number of actions that may follow this one.' }),
  })
}

const implement = Type.Literal('implement', { description: 'Kind of work.' })
const otherKind = literals(['orient', 'clarify', 'review', 'summarize'], {
  description: 'Kind of work.',
})
const bound = {
  source: meaning('The issue that the run is bound to.', ActionSource),
  requirements: meaning('The requirements of that issue.', ActionRequirements),
}
const authorized = {
  destructive_authorization: Type.Optional(
    meaning('The destructive operation that is authorized for this action only.', DestructiveAuthorization),
  ),
}

/** Six variants: with or without an issue; another kind, `implement`, or authorized `implement`. */
export const Action = named(
  'action',
  tagged(
    'kind',
    [
      tagged('source', [action(otherKind, {}), action(otherKind, bound)]),
      tagged('source', [action(implement, authorized), action(implement, { ...bound, ...authorized })]),
    ],
    {
      title: 'Action',
      description: 'One piece of work for a host.',
      'x-rules': {
        actionFitsItsSize: `An action as JSON with a trailing line feed has at most ${LIMITS.actionBytes} bytes.`,
        revisionsAgree: '`requirements.requirements_revision` equals `source.requirements_revision`.',
        readerIsForThisAction: 'The command of the reader names the `run_id` and `action_id` of the action.',
      },
    },
  ),
)
export type Action = Message<typeof Action>
