/** The remaining minutes and seconds. */
import { useEffect, useState } from 'react';
import { exactTime } from '../../ui/time.tsx';

export function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((until - now) / 1000));
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <span className="text-sm text-soft tabular-nums" title={`until ${exactTime(until)}`}>
      {seconds === 0 ? 'expired' : `${left} left`}
    </span>
  );
}
