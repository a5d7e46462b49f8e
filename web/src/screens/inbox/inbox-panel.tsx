import { AssignmentPanel } from '../../assignment/assignment-panel.tsx'
import { useProjectStages } from '../../data/project-stages.ts'
import { useListing } from '../../data/use-listing.ts'
import { panelResources, useProjectChanges } from '../../data/use-project-changes.ts'
import { assignmentPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { useMedia } from '../../ui/viewport.ts'

interface Opened {
  readonly assignmentId: string
  readonly projectId: string
}

/** The style sheet has the same width. */
const wide = '(min-width: 1280px)'

/** The assignment that is shown next to the list, which the address names. Narrow windows have no room for it. */
export function useOpened() {
  const { router } = useServices()
  const isWide = useMedia(wide)
  const { searchParams } = router.address.value
  const [assignmentId, projectId] = [searchParams.get('assignment'), searchParams.get('project')]
  return {
    isWide,
    opened: isWide && assignmentId && projectId ? { assignmentId, projectId } : undefined,
    open: ({ assignmentId, projectId }: Opened) =>
      router.setQuery({ assignment: assignmentId, project: projectId }),
    close() {
      document.querySelector<HTMLElement>('.inbox-link[aria-current]')?.focus()
      router.setQuery({ assignment: '', project: '', full: '' })
    },
  }
}

/** Shows an assignment as over the views of its project, to which the name of the project leads. */
export function InboxPanel({ assignmentId, projectId, onClose }: Opened & { onClose(): void }) {
  const { stages } = useProjectStages(projectId)
  const [project] = useListing('project', { ids: projectId }).rows
  useProjectChanges(projectId, panelResources)
  return (
    <AssignmentPanel
      id={assignmentId}
      projectId={projectId}
      stages={stages}
      projectName={<a href={assignmentPath(projectId, assignmentId)}>{project?.name}</a>}
      projectKey={project?.key}
      onClose={onClose}
    />
  )
}
