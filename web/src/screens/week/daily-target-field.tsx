import { useState } from 'preact/hooks'
import { chooseDailyTarget, dailyTarget } from '../../assignment/daily-target.ts'
import { t } from '../../texts/text.ts'

/** How many hours one works on a day. */
export function DailyTargetField() {
  const [text, setText] = useState<string>()
  const take = () => {
    chooseDailyTarget(Number((text ?? '').trim().replace(',', '.')))
    setText(undefined)
  }
  return (
    <label class="filter-day">
      {t('Hours a day')}
      <input
        class="input target-input"
        inputMode="decimal"
        autocomplete="off"
        value={text ?? String(dailyTarget())}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={() => text !== undefined && take()}
        onKeyDown={(event) => event.key === 'Enter' && text !== undefined && take()}
      />
    </label>
  )
}
