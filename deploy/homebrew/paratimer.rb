# deploy/dist fills in the version and the checksums of a release.
class Paratimer < Formula
  desc "Predicts when MapReduce, Tez and Spark queries end"
  homepage "https://github.com/paratimer/paratimer"
  version "VERSION"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/paratimer/paratimer/releases/download/vVERSION/paratimer_vVERSION_darwin_arm64.tar.gz"
      sha256 "SHA256_darwin_arm64"
    end
    on_intel do
      url "https://github.com/paratimer/paratimer/releases/download/vVERSION/paratimer_vVERSION_darwin_amd64.tar.gz"
      sha256 "SHA256_darwin_amd64"
    end
  end
  on_linux do
    on_arm do
      url "https://github.com/paratimer/paratimer/releases/download/vVERSION/paratimer_vVERSION_linux_arm64.tar.gz"
      sha256 "SHA256_linux_arm64"
    end
    on_intel do
      url "https://github.com/paratimer/paratimer/releases/download/vVERSION/paratimer_vVERSION_linux_amd64.tar.gz"
      sha256 "SHA256_linux_amd64"
    end
  end

  def install
    bin.install "paratimer", "paratimer-tap"
    man1.install Dir["man1/*"]
    bash_completion.install "completions/paratimer.bash" => "paratimer"
    zsh_completion.install "completions/paratimer.zsh" => "_paratimer"
    fish_completion.install "completions/paratimer.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/paratimer --version")
    assert_match "succeeded after", shell_output("#{bin}/paratimer demo --output text")
  end
end
