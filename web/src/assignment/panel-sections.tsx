import type { RecordOf } from '../api/api.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { formatTimestamp } from '../time/format-timestamp.ts'
import { ActivitySection } from './activity-section.tsx'
import { AttachmentsSection } from './attachments-section.tsx'
import { ImpedimentsSection } from './impediments-section.tsx'
import { Guard } from './panel-section.tsx'
import { Relations } from './relations.tsx'
import { TimeSection } from './time-section.tsx'
import type { PanelData } from './use-panel-data.ts'

export interface PanelSectionsProps extends PanelData {
  readonly assignment: RecordOf<'assignment'>
  readonly stages: readonly ProjectStage[]
  onSaved(assignment: RecordOf<'assignment'>): void
}

/**
 * Shows the sections below the fields, whose code is in the second script, in groups: related assignments and
 * impediments, time and files, and what has happened.
 */
export function PanelSections({ assignment, stages, onSaved, ...data }: PanelSectionsProps) {
  const { extensions } = useServices().configuration
  const { id: assignmentId } = assignment
  return (
    <>
      <div class="panel-group">
        <Guard>
          {extensions && <Relations {...data} assignment={assignment} stages={stages} onSaved={onSaved} />}
        </Guard>
        <Guard>
          <ImpedimentsSection {...data} assignmentId={assignmentId} />
        </Guard>
      </div>
      <div class="panel-group">
        <Guard>
          <TimeSection {...data} assignment={assignment} />
        </Guard>
        <Guard>{extensions && <AttachmentsSection {...data} assignmentId={assignmentId} />}</Guard>
      </div>
      <div class="panel-group">
        {extensions ? (
          <Guard>
            <ActivitySection {...data} assignment={assignment} />
          </Guard>
        ) : (
          <p class="quiet-text">
            {inOneLine(
              t('Created {time}', { time: formatTimestamp(assignment.createdAt) }),
              assignment.updatedAt && t('Changed {time}', { time: formatTimestamp(assignment.updatedAt) }),
            )}
          </p>
        )}
      </div>
    </>
  )
}
