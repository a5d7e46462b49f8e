import { useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { formatTimestamp } from '../time/format-timestamp.ts'
import { ActivitySection } from './activity-section.tsx'
import { AttachFiles, AttachmentsSection } from './attachments-section.tsx'
import { ImpedimentsSection } from './impediments-section.tsx'
import { Guard } from './panel-section.tsx'
import { NewPart } from './parts-section.tsx'
import type { Relation } from './related-row.tsx'
import { AddRelation, Relations } from './relations.tsx'
import { TimeSection } from './time-section.tsx'
import type { PanelData } from './use-panel-data.ts'

export interface PanelSectionsProps extends PanelData {
  readonly assignment: RecordOf<'assignment'>
  readonly stages: readonly ProjectStage[]
  onSaved(assignment: RecordOf<'assignment'>): void
}

/**
 * Shows the sections below the fields in groups: related assignments and controls that add something, time,
 * files, and activity. Their code is in the second script.
 */
export function PanelSections({ assignment, stages, onSaved, ...data }: PanelSectionsProps) {
  const { extensions } = useServices().configuration
  const { id: assignmentId } = assignment
  const [addedRelation, setAddedRelation] = useState<Relation>()
  const shared = { assignment, stages }
  return (
    <>
      <div class="panel-group">
        <Guard>
          {extensions && <Relations {...data} {...shared} addedRelation={addedRelation} onSaved={onSaved} />}
        </Guard>
        <div class="panel-adders">
          <Guard>
            {extensions && <NewPart {...shared} />}
            {extensions && <AddRelation onChoose={setAddedRelation} />}
            <ImpedimentsSection {...data} assignmentId={assignmentId} />
            {extensions && <AttachFiles assignmentId={assignmentId} />}
          </Guard>
        </div>
      </div>
      <div class="panel-group">
        <Guard>
          <TimeSection {...data} assignment={assignment} />
        </Guard>
      </div>
      <Guard>{extensions && <AttachmentsSection {...data} assignmentId={assignmentId} />}</Guard>
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
