interface ChoiceProps {
  readonly type: 'radio' | 'checkbox';
  readonly name: string;
  readonly value: string;
  readonly isChosen: boolean;
  readonly label: string;
  readonly children?: string;
}

/** A box or a button to choose, with what it means. */
export function Choice({ type, name, value, isChosen, label, children }: ChoiceProps) {
  const id = `${name}-${value.replace(':', '-')}`;
  return (
    <div class="choice">
      <input
        type={type}
        id={id}
        name={name}
        value={value}
        checked={isChosen}
        aria-describedby={children ? `${id}-what` : undefined}
      />
      <div>
        <label for={id}>{label}</label>
        {children && (
          <p class="hint" id={`${id}-what`}>
            {children}
          </p>
        )}
      </div>
    </div>
  );
}
