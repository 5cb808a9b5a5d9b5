import { type TProperties, type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, sequence, strict, tagged } from '../kit/shape.ts'
import { DestructiveAuthorization } from './destructive.shape.ts'
import { ContractVersion, Digest, IssueUrl, NodeId, SectionKey, SectionRole } from './identifiers.shape.ts'
import { LIMITS } from './limits.ts'
import { NonEmptyMarkdownText, NonEmptyPlainText, nonEmptyMarkdown } from './text.shape.ts'

const keys = (description: string) =>
  Type.Array(SectionKey, { minItems: 1, maxItems: LIMITS.mostSections, uniqueItems: true, description })

const ActionSource = named(
  'actionSource',
  strict(
    {
      kind: Type.Literal('change_issue', { description: 'What the requirements come from.' }),
      canonical_url: meaning('Where the issue is.', IssueUrl),
      issue_id: meaning('The issue, by the id that the provider gave it.', NodeId),
      source_revision: meaning('Of the issue, its title and its manifest.', Digest),
      manifest_revision: meaning('Of the manifest.', Digest),
      requirements_revision: meaning('Of what the sections require.', Digest),
    },
    { title: 'Action source', description: 'The issue that an action serves.' },
  ),
)

const ActionRequirementSection = named(
  'actionRequirementSection',
  strict(
    {
      key: meaning('What it is called by.', SectionKey),
      role: SectionRole,
      title: meaning('Its heading.', NonEmptyPlainText),
      section_revision: meaning('Of key, role, title and text.', Digest),
      material_sha256: meaning('Of the text.', Digest),
      bytes: Type.Integer({ minimum: 1, maximum: LIMITS.sectionBytes, description: 'Bytes of the text.' }),
    },
    { title: 'Requirement section', description: 'One section of the requirements; its text is read by the reader.' },
  ),
)

const word = (text: string) => Type.Literal(text)

const ActionMaterialReader = named(
  'actionMaterialReader',
  strict(
    {
      operation: Type.Literal('read_material', { description: 'What the command is for.' }),
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
          name: Type.Literal('section', { description: 'What it is called.' }),
          type: Type.Literal('enum', { description: 'What it is.' }),
          flag: Type.Literal('--section', { description: 'The flag it goes with.' }),
          required: Type.Literal(true, { description: 'Whether the command needs it.' }),
          choices: keys('Every section, in order.'),
        },
        { description: 'The flag to add to it, with the key of the section to read.' },
      ),
    },
    { title: 'Material reader', description: 'How to read the text of a section: a command and its one input.' },
  ),
)

const ActionRequirements = named(
  'actionRequirements',
  strict(
    {
      requirements_revision: meaning('Of what the sections require.', Digest),
      sections: Type.Array(ActionRequirementSection, {
        minItems: 1,
        maxItems: LIMITS.mostSections,
        description: 'In the order of the manifest.',
      }),
      required_for_action: keys('What must be read before the work begins: every section, in order.'),
      reader: ActionMaterialReader,
    },
    {
      title: 'Action requirements',
      description: 'What must be met, and how to read it.',
      'x-rules': {
        sectionsHaveDistinctKeys: 'No two sections have the same key.',
        everySectionIsRequired:
          '`required_for_action` and the choices of the reader are the keys of all sections, in order.',
      },
    },
  ),
)

export type ActionRequirements = Message<typeof ActionRequirements>

/** The fields of every action around those that depend on its kind, in the order in which they are written. */
function action<K extends TSchema, P extends TProperties>(kind: K, own: P) {
  return strict({
    contract_version: ContractVersion,
    run_id: meaning('The run.', NonEmptyPlainText),
    action_id: meaning('What an outcome answers to.', NonEmptyPlainText),
    kind,
    goal: meaning('What the run is for.', NonEmptyMarkdownText),
    brief: nonEmptyMarkdown({ 'x-max-utf8-bytes': LIMITS.briefBytes, description: 'What to do now.' }),
    context: nonEmptyMarkdown({
      'x-max-utf8-bytes': LIMITS.contextBytes,
      description: 'What was decided and done before.',
    }),
    ...own,
    remaining_budget: Type.Integer({ minimum: 0, description: 'How many actions may follow this one.' }),
  })
}

const implement = Type.Literal('implement', { description: 'What sort of work is asked for.' })
const otherKind = literals(['orient', 'clarify', 'review', 'summarize'], {
  description: 'What sort of work is asked for.',
})
const bound = {
  source: meaning('The issue that the run serves.', ActionSource),
  requirements: meaning('What it requires.', ActionRequirements),
}
const authorized = {
  destructive_authorization: Type.Optional(
    meaning('What may be destroyed, exactly and only in this action.', DestructiveAuthorization),
  ),
}

/** Six variants: bound to an issue or not, and with a kind that is not, or is, or is and may destroy. */
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
      description: 'One piece of work that a host is asked to do.',
      'x-rules': {
        actionFitsItsSize: `An action as JSON with a line feed behind it has at most ${LIMITS.actionBytes} bytes.`,
        revisionsAgree: '`requirements.requirements_revision` equals `source.requirements_revision`.',
        readerIsForThisAction: 'The command of the reader names `run_id` and `action_id` of the action.',
      },
    },
  ),
)
export type Action = Message<typeof Action>
