/** Writes the type of the codes of errors for the library. */
import { gatherCodes } from './fault-catalogue.ts'

export async function errorCodeTypes(): Promise<string> {
  const codes = (await gatherCodes()).map((code) => `\n  | '${code}'`)
  return `/** Written by \`npm run generate\` from the errors of all folders. */

/** The codes of this version. A later one may have more, so that \`code\` of an error is not limited to them. */
export type ErrorCode =${codes.join('')}
`
}
