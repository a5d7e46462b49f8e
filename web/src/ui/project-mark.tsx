import { hashOf } from '../api/people.ts'

/** How many colours the style sheet has. */
const tintCount = 12

/** The colour of a project, beside its name wherever that stands. */
export const ProjectMark = ({ id }: { readonly id: string }) => (
  <span class={`project-mark mark-${hashOf(id) % tintCount}`} aria-hidden="true" />
)
