import { t } from '../texts/text.ts'
import { addDays, daysInWeek, fridayOffset, mondayOf, today } from '../time/days.ts'

interface DayChoice {
  readonly day: string
  readonly label: string
}

/** Returns the days that are chosen most often. “This week” and “next week” end on Friday. */
export function commonDays(): readonly DayChoice[] {
  const friday = addDays(mondayOf(today()), fridayOffset)
  return [
    { day: today(), label: t('Today') },
    { day: addDays(today(), 1), label: t('Tomorrow') },
    ...(friday > today() ? [{ day: friday, label: t('This week') }] : []),
    { day: addDays(friday, daysInWeek), label: t('Next week') },
  ]
}
