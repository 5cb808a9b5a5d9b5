/** The seven capabilities: instructions that the agent of a host follows when the user calls them. */
import { TEXTS } from './texts.generated.js'

/** In the order in which they are listed. */
export const CAPABILITY_NAMES = [
  'drover-run',
  'drover-clarify',
  'drover-propose',
  'drover-decompose',
  'drover-implement',
  'drover-review',
  'drover-workflow',
] as const

export type CapabilityName = (typeof CAPABILITY_NAMES)[number]

export type Capability = {
  readonly name: CapabilityName
  /** One line that helps the user to choose. */
  readonly description: string
  /** Everything that the agent reads, in Markdown, with a final line feed. */
  readonly text: string
  /** Files that the text refers to, in the folder `references` beside it. */
  readonly references: readonly { readonly name: string; readonly text: string }[]
}

type Source = {
  description: string
  parts: readonly (keyof typeof TEXTS)[]
  references?: readonly (keyof typeof TEXTS)[]
}

/** Names of files in `texts/`, in order. Every text ends with `boundaries`. */
const SOURCES: Readonly<Record<CapabilityName, Source>> = {
  'drover-run': {
    description:
      'Start or resume a drover run and drive it, one action at a time; it can be interrupted at every step.',
    parts: ['run', 'implementing', 'reviewing', 'interview', 'fetching'],
  },
  'drover-clarify': {
    description: 'Get the decisions that only the user can make, one at a time, after finding the facts.',
    parts: ['clarify', 'interview'],
    references: ['decision-interview'],
  },
  'drover-propose': {
    description: 'Turn clarified needs into one published Change or one published Objective.',
    parts: ['propose', 'publishing', 'fetching'],
  },
  'drover-decompose': {
    description: 'Split an Objective into self-contained Changes with native relations.',
    parts: ['decompose', 'publishing', 'fetching'],
  },
  'drover-implement': {
    description: 'Apply authorized edits and report truthfully which checks were run.',
    parts: ['implement', 'implementing'],
  },
  'drover-review': {
    description: 'Inspect a difference once and report findings; nothing is changed.',
    parts: ['review', 'reviewing'],
  },
  'drover-workflow': {
    description: 'Name the next step that the user can take with an idea, an Objective, a Change or a run, or none.',
    parts: ['workflow', 'interview'],
  },
}

export const CAPABILITIES: readonly Capability[] = CAPABILITY_NAMES.map((name) => {
  const { description, parts, references = [] } = SOURCES[name]
  return {
    name,
    description,
    text: [...parts, 'boundaries' as const].map((part) => TEXTS[part]).join('\n'),
    references: references.map((reference) => ({ name: `${reference}.md`, text: TEXTS[reference] })),
  }
})
