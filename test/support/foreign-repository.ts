/**
 * What an agent may do to its worktree: a shell script that replaces its repository by one of its own, in which every look at a
 * file runs a program. The program creates the file `ran`.
 */
export function replaceRepository(ran: string): string {
  return [
    'branch=$(git branch --show-current)',
    'rm .git',
    'git init --quiet --initial-branch=$branch',
    'git add .',
    'git -c user.name=a -c user.email=a@localhost commit --quiet --message=x',
    'echo "* filter=bad" > .git/info/attributes',
    `git config filter.bad.clean "touch '${ran}'; cat"`,
    'git ls-files -z | xargs -0 touch',
  ].join('; ')
}
