/** The time of day at this moment, for a person near this process; with the date if it is another day. */
export function localTime(at: number): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  const clock = time.toTimeString().slice(0, 5);
  return isToday ? clock : `${time.toDateString()}, ${clock}`;
}
