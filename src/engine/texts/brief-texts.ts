/** The texts that tell an agent what to do in each kind of action. */

const REPORT_AND_SUGGEST = 'Change nothing. Report what you found, and suggest the one step that should come next.'

export const BRIEFS = {
  start: `Get to know the ground before any work is chosen. Read the code that the goal touches, look at the state of git, and find out how this project is built, tested and linted. ${REPORT_AND_SUGGEST}`,
  decided: `A person has answered; the decision stands in the context and holds from now on. Look at the goal and the worktree again in its light. ${REPORT_AND_SUGGEST}`,
  declined: `A person has not allowed the destructive operation that was asked for; what they said stands in the context. Do not carry it out, in whole or in part. Look for a way to the goal that destroys nothing. ${REPORT_AND_SUGGEST}`,
  confirmed:
    'A person has allowed what `destructive_authorization` describes, for this action and no other. Do exactly that: these targets, with this impact, and nothing beyond it. If a target or the impact turns out to be different in any way, do nothing to it and report `needs_input` with a new request.',
  resumed: `The run was interrupted and goes on. The worktree may have changed meanwhile, by whatever hand: look at it afresh, and do not rely on what was reported before without checking it. ${REPORT_AND_SUGGEST}`,
  sourceKept: `The run goes on with the requirements that are pinned; nobody looked whether the issue has changed since. Read the sections again and look at the worktree afresh. ${REPORT_AND_SUGGEST}`,
  sourceRefreshed: `The run goes on. The issue was fetched again and asks for the same as before. Read the sections again and look at the worktree afresh. ${REPORT_AND_SUGGEST}`,
  sourceChosen: `A person has chosen which requirements hold: those of this action. They may differ from what earlier actions worked to. Read every section again, compare the worktree with them, and find out what is still to be done or undone. ${REPORT_AND_SUGGEST}`,
  review:
    'Review the difference between the worktree and what it was when the run began. Judge whether it does what the goal and the decisions ask for, and whether it does so well. Report findings and doubts only: edit nothing, and fix nothing that you find.',
  reviewAfterSkip:
    'An action was skipped before it could report. Review the whole difference between the worktree and what it was when the run began, whoever made it. Report findings and doubts only: edit nothing, and fix nothing that you find.',
  summarize:
    'Sum the run up for the person who started it: what was decided, what changed as far as it was observed, which checks were run and what they showed, what is known to be wrong, what is doubtful, what was skipped, and which files were not clean before the run began. Claim nothing that was not observed or reported.',
  summarizeAfterSkip:
    'An action was skipped. Sum the run up from what was observed and reported, and say what was skipped and is therefore not known: what was decided, what changed, which checks were run, what is known to be wrong or doubtful, and which files were not clean before the run began. Claim nothing that was not observed or reported.',
  summarizeAfterSkippedReview:
    'The review was skipped: nobody has checked the difference. Say so, and sum the run up: what was decided, what changed as far as it was observed, which checks were run and what they showed, what is known to be wrong, what is doubtful, and which files were not clean before the run began. Claim nothing that was not observed or reported.',
} as const
