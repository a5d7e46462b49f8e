import type { Connection } from '../../api/live-listing.ts'
import { t } from '../../texts/text.ts'
import { ConnectionMark } from '../../ui/connection-mark.tsx'
import { Icon } from '../../ui/icon.tsx'

export interface ProjectActionsProps {
  readonly projectId: string
  readonly connection: Connection
  onNew(): void
}

export const ProjectActions = ({ projectId, connection, onNew }: ProjectActionsProps) => (
  <>
    <ConnectionMark connection={connection} />
    <a class="button page-action" href={`/projects/${projectId}/activity`}>
      <Icon name="clock" />
      <span class="page-action-name">{t('Activity')}</span>
    </a>
    <a class="button page-action" href={`/projects/${projectId}/report`}>
      <Icon name="chart" />
      <span class="page-action-name">{t('Hours')}</span>
    </a>
    <button type="button" class="button primary" onClick={onNew} aria-keyshortcuts="C">
      <Icon name="plus" />
      <span>{t('New assignment')}</span>
    </button>
  </>
)
