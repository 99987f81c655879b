/** The answer, or an Error that says `late` when it has not come after so many milliseconds. What comes later is dropped. */
export function inTime<T>(answer: Promise<T>, milliseconds: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), milliseconds);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
