/** The version of the contract that every report and message carries. */
export const CONTRACT_VERSION = 2

const KIB = 1024
const MIB = 1024 * KIB

/** How much of everything the machine protocol allows. Bytes are UTF-8 bytes. */
export const LIMITS = {
  /** An outcome, as its bytes are received. */
  outcomeBytes: MIB,
  /** An action as JSON, with the line feed behind it. */
  actionBytes: 256 * KIB,
  briefBytes: 8 * KIB,
  contextBytes: 128 * KIB,
  /** A goal, as it is received and as a JSON string with its quotes. */
  goalBytes: 256 * KIB,
  /** The text of an answer, as it is received and as a JSON string with its quotes. */
  answerBytes: 256 * KIB,
  /** The file of a raw source envelope. */
  envelopeBytes: 16 * MIB,
  labels: 100,
  comments: 64,
  fewestSections: 5,
  mostSections: 64,
  sectionKeyCharacters: 64,
  sectionTitleBytes: 512,
  /** One section's text. */
  sectionBytes: 256 * KIB,
  /** The texts of all sections of a source together. */
  bundleBytes: 4 * MIB,
  urlAliases: 64,
  classificationErrorBytes: KIB,
  budget: 1000,
} as const
