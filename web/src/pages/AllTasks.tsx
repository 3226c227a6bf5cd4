export default function AllTasks() {
  return null;
}
