/** What an agent says to people. The block in which it reports its outcome to drover is not for them. Pure. */
const BLOCK = /^```drover-outcome\n[\s\S]*?(?:^```$|(?![\s\S]))/gm

export function withoutOutcome(text: string): string {
  return text.includes('drover-outcome') ? text.replace(BLOCK, '').trim() : text
}
