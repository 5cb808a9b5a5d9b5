/** The value of `contract_version` in every message. */
export const CONTRACT_VERSION = 2

const KIB = 1024
const MIB = 1024 * KIB

/** The limits of the machine protocol. Bytes are UTF-8 bytes. */
export const LIMITS = {
  /** An outcome, as received. */
  outcomeBytes: MIB,
  /** An action as JSON with its line feed. */
  actionBytes: 256 * KIB,
  briefBytes: 8 * KIB,
  contextBytes: 128 * KIB,
  /** A goal, both as received and as a JSON string with quotes. */
  goalBytes: 256 * KIB,
  /** An answer, both as received and as a JSON string with quotes. */
  answerBytes: 256 * KIB,
  /** The file of a raw source envelope. */
  envelopeBytes: 16 * MIB,
  labels: 100,
  comments: 64,
  fewestSections: 5,
  mostSections: 64,
  sectionKeyCharacters: 64,
  sectionTitleBytes: 512,
  /** The text of one section. */
  sectionBytes: 256 * KIB,
  /** The texts of all sections of a source together. */
  bundleBytes: 4 * MIB,
  urlAliases: 64,
  classificationErrorBytes: KIB,
  budget: 1000,
} as const

/** The roles of sections, in the order in which people read them. */
export const ROLES = ['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals'] as const

export type Role = (typeof ROLES)[number]
