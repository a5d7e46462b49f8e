import { hashOf } from '../api/people.ts'

/** As many as the style sheet knows. */
const tintCount = 12

/** The colour of a project, beside its name wherever that stands. */
export const ProjectMark = ({ id }: { readonly id: string }) => (
  <span class={`project-mark mark-${hashOf(id) % tintCount}`} aria-hidden="true" />
)
