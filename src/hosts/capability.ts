/** What drover gives to a host: texts that its agent follows when a person calls them. */

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
  /** One line by which a person picks it. */
  readonly description: string
  /** The whole of what the agent reads, in Markdown, with a line feed at its end. */
  readonly text: string
  /** What the text points to, in the folder `references` beside it. */
  readonly references: readonly { readonly name: string; readonly text: string }[]
}
