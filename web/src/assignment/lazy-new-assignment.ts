import { lazyDialog } from '../ui/lazy-dialog.tsx'

export const NewAssignmentDialog = lazyDialog(
  async () => (await import('./new-assignment.tsx')).NewAssignmentDialog,
)
