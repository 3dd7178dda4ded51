// Shows whether the server is ready: the page itself only shows that it runs.
const state = document.getElementById("state");

async function showState() {
  let isReady = false;
  try {
    isReady = (await fetch("/ready", { cache: "no-store" })).ok;
  } catch {
    // No response: not ready.
  }
  state.textContent = isReady ? "healthy" : "not ready";
  state.className = isReady ? "good" : "bad";
}

showState();
